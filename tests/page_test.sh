#!/usr/bin/env bash
# The page that `tallcache report --html` writes, in a headless browser: no script error, no request, no overlapping or
# cut text in a chart, on a wide and on a narrow window. Usage: page_test.sh PROGRAM SOURCE
set -u
program=$1 source=$2 probes=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/page
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh" || exit
results=$source/results

# Without a browser: what the file holds.
bad "cannot write" report "$results/epyc-genoa-vm/machine.json" --html nowhere/page.html
bad "cannot read nothing.json" report nothing.json --html page.html
head -c 5000 "$results/epyc-genoa-vm/machine.json" >truncated.json
bad "truncated.json is corrupt or truncated" report truncated.json --html page.html
sed 's/"schema": *"[^"]*"/"schema": "tallcache\/9"/' "$results/epyc-genoa-vm/machine.json" >other.json
bad "is of the schema" report other.json --html page.html
bad "excludes" report other.json --html page.html --readme README.md
[ ! -e page.html ] || fail "a page of bad documents"

run 0 profile matmul recursive tiled --shape m=32 --unit-cost --json profile.json
python3 - <<'P' || fail "no document with errors and with a name that ends a script"
import json
document = json.load(open("profile.json"))
document["kind"] = "run"
document["plan"] = []
record = document["measurements"][0]
document["measurements"] = []
for i, variant in enumerate(["naive", "recursive_packed", "</script><script>throw 1</script>"]):
    new = json.loads(json.dumps(record))
    new.pop("conditions", None)
    new["variant"], new["peer"] = variant, i == 2
    new["quantities"] = [
        {"name": "time", "unit": "s", "value": 0.1 / (i + 1), "spread": 0.001, "source": "clock"},
        {"name": "work", "unit": "flop", "value": 65536, "source": "formula"},
        {"name": "traffic", "unit": "B", "value": 24576, "source": "formula"},
        {"name": "error", "unit": "1", "value": 1e-15 * (i + 1), "source": "reference"}]
    document["measurements"].append(new)
json.dump(document, open("errors.json", "w"))
P
cpu=$results/epyc-genoa-vm gpu=$results/h100
run 0 report "$cpu"/{machine,reproduce,misses-matmul,misses-transpose,peers-transpose,counters}.json \
  "$gpu"/{compare,gpu-steps-transpose}.json profile.json errors.json --html page.html
[ "$(wc -c <page.html)" -lt 1000000 ] || fail "the page has $(wc -c <page.html) bytes"
run 0 report profile.json --html -; has out "<!doctype html>"
# Whether a page is that of its documents.
run 0 report profile.json --html one.html
run 0 report profile.json --html one.html --check
echo >>one.html
bad "one.html differs" report profile.json --html one.html --check
bad "cannot read none.html" report profile.json --html none.html --check
bad "needs --readme FILE or --html PAGE" report profile.json --check
: >out

for browser in chromium chromium-browser google-chrome; do command -v "$browser" >/dev/null && break; browser=; done
if [ -z "$browser" ]; then
  skip "the page in a browser" "chromium is not installed"
  finish
fi

# seen PAGE [WIDTH]: the page with the probes around its scripts, drawn at a width; the findings go to ./seen
seen() {
  python3 - "$1" "$probes" "${2:-}" <<'P'
import sys
page, probes, width = sys.argv[1:]
text, read = open(page).read(), lambda name: f"<script>{open(f'{probes}/{name}').read()}</script>"
style = f"<style>html {{ max-width: {width}px; }}</style>" if width else ""
open("probed.html", "w").write(
    text.replace("<style>", read("errors.js") + style + "<style>", 1).replace("</body>", read("measure.js") + "</body>", 1))
P
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync --user-data-dir="$folder/profile" \
    --window-size=1280,900 --virtual-time-budget=20000 --dump-dom "file://$folder/probed.html" >dom 2>browser.log
  sed -n 's/^.*<body>\({.*}\)<\/body>.*$/\1/p' dom >seen
  [ -s seen ] || { fail "the browser shows nothing of $1"; tail -5 browser.log; }
}

for width in "" 380; do
  seen page.html "$width"
  python3 - <<'P' || fail "a page of width '$width': $(cat seen)"
import json
seen = json.load(open("seen"))
assert not seen["problems"]
assert seen["sections"] == ["Documents", "Machine", "The slides' tables", "CPU against GPU", "Roofline",
                            "Errors beside speeds", "Cache misses", "Work and span", "Step by step",
                            "Beside the libraries", "Counted events", "Single runs"]
assert seen["charts"] >= 12 and seen["walked"] == seen["charts"]
assert seen["texts"] > 12 * seen["charts"] and seen["tables"] > 60 and seen["statements"] > 50
P
done

# The checks find what they look for: labels that are not moved apart, a script that throws,
# a request.
sabotaged() {
  local what=$1 wanted=$2
  shift 2
  sed "$@" page.html >sabotaged.html
  cmp -s page.html sabotaged.html && fail "nothing was sabotaged: $what"
  seen sabotaged.html 380
  has seen "$wanted"
}
sabotaged "labels" '"overlap: ' 's/^const label_gap = 15;/const label_gap = 0;/'
sabotaged "labels of points" '"overlap: ' 's/^const point_gap = 3;/const point_gap = -40;/'
sabotaged "a throw" '"error: Uncaught Error: planted"' 's/^const label_gap = 15;/&throw new Error("planted");/'
sabotaged "a request" '"network: ' 's/^const label_gap = 15;/&fetch("http:\/\/localhost\/").catch(() => 0);/'
finish
