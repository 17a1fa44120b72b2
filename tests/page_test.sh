#!/usr/bin/env bash
# The page that `tallcache report --html` writes, in a headless browser: no script error, no request, no overlapping,
# cut, small or pale text in a chart; light and dark, wide, narrow and as it is printed. Usage: page_test.sh PROGRAM SOURCE
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
cpu=$results/epyc-genoa-vm
run 0 report "$cpu"/{machine,reproduce,misses-matmul,misses-transpose,peers-transpose,counters}.json \
  "$results"/{h200/compare,h100/gpu-steps-transpose}.json profile.json errors.json --html page.html
# All that is read stands in the file; the script draws nothing.
sed '/^<script>/,/<\/script>/d' page.html >without_script.html
for words in "findings.* hold here" "<svg.*GFLOP/s" "<table>.*GFLOP/s" "does not hold here"; do
  has without_script.html "$words"
done
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

# seen FORM=PAGE... -- OPTION...: the pages in frames of one page, drawn in their forms; the findings go to ./seen
seen() {
  local pages=()
  while [ "$1" != -- ]; do pages+=("$1"); shift; done
  shift
  python3 - "$probes" "${pages[@]}" <<'P'
import html, sys
probes, pages = sys.argv[1], sys.argv[2:]
read = lambda name: f"<script>{open(f'{probes}/{name}').read()}</script>"
widths = {"wide": 1280, "narrow": 390, "printed": 718, "sabotaged": 1280}
with open("probed.html", "w") as probed:
    probed.write("<!doctype html><meta charset=utf-8><style>iframe { border: 0; height: 900px; }</style>")
    for page in pages:
        form, file = page.split("=")
        text = open(file).read().replace("<style ", read("errors.js") + "<style ", 1)
        if form == "printed":
            text = text.replace("@media print", "@media all")
        probed.write(f'<iframe name={form} width={widths[form]} srcdoc="{html.escape(text)}"></iframe>')
    probed.write(read("measure.js"))
P
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "$@" \
    --disable-background-networking --disable-component-update --disable-sync --user-data-dir="$folder/profile" \
    --window-size=1400,900 --virtual-time-budget=20000 --dump-dom "file://$folder/probed.html" >dom 2>browser.log
  sed -n 's/^.*<body>\(\[.*\]\)<\/body>.*$/\1/p' dom >seen
  [ -s seen ] || { fail "the browser shows nothing of ${pages[*]}"; tail -5 browser.log; }
}

right() {
  python3 - <<'P' || fail "$1: $(cut -c1-3000 seen)"
import json
heights = {"wide": 14000, "narrow": 36000, "printed": 16000}
halves = {"wide": 2, "narrow": 1, "printed": 2}
for seen in json.load(open("seen")):
    assert not seen["problems"], seen["form"]
    assert seen["title"].endswith(" hold here."), seen["title"]
    assert seen["sections"] == ["The slides' tables", "CPU against GPU", "Roofline", "Errors beside speeds", "Cache misses",
                                "Work and span", "Step by step", "Beside the libraries", "Counted events", "Single runs",
                                "Machine", "Not measured", "Documents"], seen["sections"]
    assert seen["charts"] >= 25 and seen["texts"] > 12 * seen["charts"]
    assert seen["tables"] > 60 and seen["statements"] > 50
    form, height = seen["form"], seen["height"]
    assert height < heights[form], f"the {form} page is {height} px high, {heights[form]} at most: lay its charts out in rows, fold its tables"
    assert seen["halves"] == halves[form], f"{seen['halves']} rooflines in a row of the {form} page, not {halves[form]}"
P
}
seen wide=page.html narrow=page.html printed=page.html -- --blink-settings=preferredColorScheme=1
right "a light page"
seen wide=page.html -- --blink-settings=preferredColorScheme=0
right "a dark page"

# A page of what `tallcache reproduce` measured fits 11 sheets.
run 0 report "$cpu/reproduce.json" --html reproduced.html
timeout 120 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir="$folder/profile" \
  --no-pdf-header-footer --print-to-pdf=reproduced.pdf "file://$folder/reproduced.html" 2>browser.log
sheets=$(grep -ac '/Type */Page\b' reproduced.pdf)
[[ $sheets -ge 2 && $sheets -lt 12 ]] || fail "a reproduction is printed on $sheets sheets"

# The checks find what they look for.
python3 - <<'P' || fail "nothing was sabotaged"
import re
text = open("page.html").read()
def change(old, new, count=1):
    global text
    before, text = text, re.sub(old, new, text, count=count)
    assert text != before, old
change(r'(<text x=)"[\d.]+"( y="[\d.]+" class="tick middle")', r'\1"90"\2', 0)
change(r'<text x="0.0"', '<text x="-40"')
change(r"--ink: #1b1f24", "--ink: #cccccc")
change(r"\.chart text \{", ".charts { min-width: 1300px; } .chart text {")
change(r'<a href="#', '<a href="#nowhere-')
change(r'"use strict";', r'"use strict"; fetch("http://localhost/").catch(() => 0); setTimeout(() => { throw new Error("planted"); });')
change(r'new Blob\(\[made\(figure\)\]', 'new Blob([]')
open("sabotaged.html", "w").write(text)
P
seen sabotaged=sabotaged.html -- --blink-settings=preferredColorScheme=1
for wanted in '"overlap: ' '"cut off: ' '"pale: ' '"wide: ' '"no target: ' '"network: ' 'planted' '"keep: no SVG' '"keep: no CSV'; do
  has seen "$wanted"
done
finish
