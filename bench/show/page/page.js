// Draws the sections of the page from its block of JSON: the program writes it. All figures come from
// there; what is computed here is where to put them. Charts: Observable Plot.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

// Elements with their attributes and children; text becomes text, never markup.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Four digits, as the program's tables have them.
function figure(value) {
  if (value === null || value === undefined) return "-";
  const size = Math.abs(value);
  if (size >= 1e7 || (size > 0 && size < 1e-3)) return value.toExponential(3);
  return size >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(4)));
}

// 100, 10k, 1M: decimal multiples.
function tick(value) {
  if (value >= 1e15 || value < 1e-3) return value.toExponential(0);
  const units = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const [unit, name] = units.find(([least]) => value >= least) ?? [1, ""];
  return Number((value / unit).toPrecision(3)) + name;
}

const label_gap = 15;  // pixels from one line of text to the next
const font_px = 12;
const ruler = document.createElement("canvas").getContext("2d");
ruler.font = `${font_px}px system-ui, "Liberation Sans", sans-serif`;
const width_of = text => ruler.measureText(text).width;

// Ticks of a logarithmic axis: 1, 2, 5 where there is room, else powers of ten, else some of these.
function decimal_ticks([low, high], pixels, room) {
  const from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high));
  for (const [factors, step] of [[[1, 2, 5], 1], [[1], 1], [[1], 2], [[1], 3], [[1], 4]]) {
    const ticks = [];
    for (let power = Math.ceil(from / step) * step; power <= to; power += step)
      for (const factor of factors) {
        const value = Number(`${factor}e${power}`);
        if (value >= low * 0.999 && value <= high * 1.001) ticks.push(value);
      }
    // The least distance of two neighbours, from 5 to 10 or from one power to the next.
    const nearest = (factors.length > 1 ? Math.log10(2) : step) * pixels / Math.log10(high / low);
    if (nearest >= room) return ticks;
  }
  return [low, high];
}

function padded(values, share) {
  const low = Math.min(...values), high = Math.max(...values);
  const factor = Math.max((high / low) ** share, 1.15);
  return [low / factor, high * factor];
}

const symbols = {
  textbook: ["times", "plus", "asterisk", "square2"],
  ours: ["circle", "square", "triangle", "diamond"],
  library: ["diamond2", "triangle2", "square2", "circle"],
  theory: ["circle"],
};
const dashes = {textbook: "7 4", ours: "none", library: "2 3", theory: "1 3"};

// The look of the i-th series of its family: colour and form, so that neither is needed alone.
function look(family, i) {
  const n = i % (family === "theory" ? 1 : 4);
  return {colour: `var(--${family}${n ? `-${n + 1}` : ""})`, dash: dashes[family], symbol: symbols[family][n]};
}

// Series with their looks. A companion has that of the series before it; a bound is dotted.
function with_looks(series) {
  const counts = {};
  let last;
  return series.map((one, i) => {
    if (!one.companion) last = look(one.family, (counts[one.family] = (counts[one.family] ?? -1) + 1));
    return {...one, i, look: {...last, dash: one.drawn === "bound" ? dashes.theory : last.dash}};
  });
}

// Labels at the lines' ends, moved apart so that none lies on another; `ends` have pixels y, and get `at`.
function spread_labels(ends, top, bottom) {
  ends.sort((a, b) => a.y - b.y);
  let from = top;
  for (const end of ends) from = (end.at = Math.max(end.y, from)) + label_gap;
  let to = bottom;
  for (const end of [...ends].reverse()) to = (end.at = Math.min(end.at, to)) - label_gap;
}

const point_gap = 3;  // pixels between a point's label and anything else

// Labels at points: each, the highest first, at the first of its places that is clear of all points and of the
// labels before it. `points` have pixels px, py. Where there is no room the tip and the table name the point.
function point_labels(points, [left, right, top, bottom]) {
  const half = font_px / 2;
  const taken = points.map(p => [p.px - 4, p.px + 4, p.py - 4, p.py + 4]);
  const clear = ([l, r, t, b]) => l >= left && r <= right && t >= top && b <= bottom && taken.every(([l2, r2, t2, b2]) =>
    l - point_gap >= r2 || r + point_gap <= l2 || t - point_gap >= b2 || b + point_gap <= t2);
  const labels = [];
  for (const point of points.filter(p => p.label).sort((a, b) => a.py - b.py || a.px - b.px)) {
    const wide = width_of(point.label);
    for (const [x, y] of [[8 + wide / 2, 0], [-8 - wide / 2, 0], [0, -13], [0, 13]]) {
      const at = {x: point.px + x, y: point.py + y};
      const box = [at.x - wide / 2, at.x + wide / 2, at.y - half, at.y + half];
      if (!clear(box)) continue;
      taken.push(box);
      labels.push({...at, point});
      break;
    }
  }
  return labels;
}

function point_text(series, point, chart) {
  const spread = point.low === undefined ? "" : ` (${figure(point.low)} to ${figure(point.high)})`;
  const name = point.name ? `: ${point.name}` : "";
  return `${series.name}${name}\n${chart.x} ${figure(point.x)}\n${chart.y} ${figure(point.y)}${spread}`;
}

// A chart of lines and points over a figure, for a width in pixels.
function draw_chart(chart, width) {
  const series = with_looks(chart.series);
  const lines = series.filter(one => one.drawn !== "points");
  const points = series.flatMap(one => one.points.map(point => ({...point, series: one})));
  const shown = points.filter(point => point.series.drawn !== "bound");
  const named = lines.filter(one => !one.companion);
  const longest = Math.max(0, ...named.map(one => width_of(one.name)));
  const short = longest > width * 0.3;  // letters at the ends, their names below
  const label = one => (short ? String.fromCharCode(97 + named.indexOf(one)) : one.name);
  const right = named.length ? Math.max(...named.map(one => width_of(label(one)))) + 34 : 16;
  const x_domain = padded(points.map(point => point.x), 0.02);
  const y_domain = padded(points.flatMap(p => [p.y, p.low ?? p.y, p.high ?? p.y]).filter(y => y > 0), 0.05);
  const height = Math.max(Math.min(width * 0.58, 460), named.length * label_gap + 110, 260);
  const margin = {marginLeft: 58, marginRight: right, marginTop: chart.marks.length ? 44 : 30, marginBottom: 50};
  const options = {
    width, height, ...margin, style: {fontSize: `${font_px}px`},
    x: {type: "log", domain: x_domain, axis: null},
    y: {type: "log", domain: y_domain, axis: null},
    symbol: {type: "identity"},
  };
  const scale = Plot.plot({...options, marks: [Plot.dot(points, {x: "x", y: "y"})]}).scale;
  const ends = named.map(one => {
    const last = one.points.reduce((a, b) => (b.x >= a.x ? b : a));
    return {one, x: last.x, y: scale("y").apply(last.y)};
  });
  spread_labels(ends, margin.marginTop, height - 50);
  for (const end of ends) {
    end.from = scale("y").invert(end.y);
    end.to = scale("y").invert(end.at);
  }
  const labels = point_labels(
    shown.map(p => ({...p, px: scale("x").apply(p.x), py: scale("y").apply(p.y)})),
    [60, width - right - 2, margin.marginTop, height - 52]);
  for (const at of labels) {
    at.x = scale("x").invert(at.x);
    at.y = scale("y").invert(at.y);
  }
  const y_ticks = decimal_ticks(y_domain, height - 50 - margin.marginTop, 16);
  const marks = [
    Plot.gridY(y_ticks, {stroke: "var(--rule)", strokeOpacity: 1}),
    Plot.axisY(y_ticks, {text: tick, label: chart.y, labelArrow: "none"}),
    x_axis(decimal_ticks(x_domain, width - 58 - right, 34), chart.x),
    Plot.ruleX(chart.marks.filter(m => m.x >= x_domain[0] && m.x <= x_domain[1]),
               {x: "x", stroke: "var(--faint)", strokeDasharray: "4 3"}),
    Plot.text(mark_labels(chart.marks, scale("x")),
              {x: "x", text: "name", frameAnchor: "top", dy: -13, fill: "var(--faint)"}),
    ...lines.map(one => Plot.line(one.points, {x: "x", y: "y", stroke: one.look.colour,
      strokeWidth: one.drawn === "bound" ? 1.4 : 2.2, strokeDasharray: one.look.dash})),
    Plot.ruleX(shown.filter(p => p.low > 0), {x: "x", y1: "low", y2: "high", strokeWidth: 1.2,
      stroke: p => p.series.look.colour}),
    Plot.dot(shown.filter(has_marker), {x: "x", y: "y", r: 4, symbol: p => p.series.look.symbol, strokeWidth: 1.6,
      stroke: p => p.series.look.colour,
      fill: p => (p.series.family === "ours" ? p.series.look.colour : "var(--paper)")}),
    Plot.link(ends, {x1: "x", x2: () => x_domain[1], y1: "from", y2: "to", stroke: end => end.one.look.colour,
      strokeWidth: 0.8, strokeOpacity: 0.7, insetEnd: -8, clip: false}),
    Plot.text(ends, {x: () => x_domain[1], y: "to", dx: 10, text: end => label(end.one), textAnchor: "start",
      fill: end => end.one.look.colour}),
    Plot.text(labels, {x: "x", y: "y", text: at => at.point.label, fill: at => at.point.series.look.colour,
      stroke: "var(--paper)", strokeWidth: 3}),
    Plot.tip(shown, Plot.pointer({x: "x", y: "y", title: p => point_text(p.series, p, chart), lineWidth: 24})),
  ];
  const svg = Plot.plot({...options, marks});
  const places = shown.map(p => ({x: scale("x").apply(p.x), y: scale("y").apply(p.y),
                                  text: point_text(p.series, p, chart)}));
  const names = short ? named.map(one => `${label(one)}  ${one.name}`) : [];
  return {svg, places, names};
}

function x_axis(ticks, label) {
  return Plot.axisX(ticks, {text: tick, label, labelAnchor: "center", labelArrow: "none", labelOffset: 38});
}

// A curve of many points has a marker at every sixth, each curve at others.
function has_marker(point) {
  const {drawn, points, i} = point.series;
  return drawn === "points" || points.length <= 20 || points.findIndex(p => p.x === point.x) % 6 === i % 6;
}

// The names of vertical rules, without those that would lie on the one before.
function mark_labels(marks, x) {
  const [low, high] = x.domain;
  let free = -Infinity;
  return marks.filter(mark => {
    const at = x.apply(mark.x), half = width_of(mark.name) / 2;
    if (mark.x < low || mark.x > high || at - half < free) return false;
    free = at + half + 6;
    return true;
  });
}

function item_text(item, ranking) {
  const spread = item.low === null ? "" : ` (from ${figure(item.low)}${item.high === null ? "" : ` to ${figure(item.high)}`})`;
  const other = item.other === null ? "" : `\n${ranking.other_name} ${figure(item.other)}`;
  return `${item.name}\n${ranking.value_name} ${figure(item.value)}${spread}${other}${item.note ? `\n${item.note}` : ""}`;
}

// Shortens a text from its end to a width in pixels.
function cut(text, pixels) {
  if (width_of(text) <= pixels) return text;
  let kept = text;
  while (kept && width_of(`${kept}…`) > pixels) kept = kept.slice(0, -1);
  return `${kept.trimEnd()}…`;
}

// A row for each item, with its figure, the spread, and the figure that it is compared with.
function draw_ranking(ranking, width) {
  const items = ranking.items.map((item, row) => ({...item, row, look: look(item.family, 0)}));
  const stacked = width < 620;  // the names above the rows, not beside them
  const longest = Math.max(...items.map(item => width_of(item.name)));
  const left = stacked ? 12 : Math.min(longest + 18, width * 0.48);
  const right = 70, top = 12, bottom = 50, row = stacked ? 40 : 24;
  const height = top + bottom + items.length * row;
  const all = items.flatMap(item => [item.value, item.low, item.high, item.other, ranking.reference])
    .filter(value => value > 0);
  const domain = padded(all, 0.04);
  const compared = items.filter(item => item.other > 0), inset = compared.length ? 44 : 8;
  // The figure stands outside: left of this machine's point where the one it is compared with is on its right.
  const on_left = item => item.other > item.value;
  const ticks = decimal_ticks(domain, width - left - right - inset, 40);
  const marks = [
    Plot.gridX(ticks, {stroke: "var(--rule)", strokeOpacity: 1}),
    x_axis(ticks, ranking.x),
    ...(ranking.reference > 0 ? [Plot.ruleX([ranking.reference], {stroke: "var(--faint)", strokeWidth: 1.5})] : []),
    Plot.link(compared, {x1: "other", x2: "value", y: "row", stroke: "var(--rule)", strokeWidth: 3}),
    Plot.ruleY(items.filter(item => item.low > 0), {x1: "low", x2: item => item.high ?? item.value, y: "row",
      stroke: item => item.look.colour, strokeWidth: 1.4}),
    Plot.dot(compared, {x: "other", y: "row", r: 4.5, symbol: "times", stroke: "var(--textbook)", strokeWidth: 2}),
    Plot.dot(items, {x: "value", y: "row", r: 4.5, symbol: item => item.look.symbol,
      stroke: item => item.look.colour, strokeWidth: 1.8,
      fill: item => (item.family === "ours" ? item.look.colour : "var(--paper)")}),
    Plot.text(items.filter(on_left), {x: "value", y: "row", dx: -9, text: item => figure(item.value),
      textAnchor: "end"}),
    Plot.text(items.filter(item => !on_left(item)), {x: item => Math.max(item.value, item.high ?? 0), y: "row", dx: 9,
      text: item => figure(item.value), textAnchor: "start"}),
    stacked
      ? Plot.text(items, {y: "row", frameAnchor: "left", dy: -15, textAnchor: "start",
                          text: item => cut(item.name, width - left - 12)})
      : Plot.text(items, {y: "row", frameAnchor: "left", dx: -10, textAnchor: "end",
                          text: item => cut(item.name, left - 14)}),
    Plot.tip(items, Plot.pointerY({x: "value", y: "row", title: item => item_text(item, ranking), lineWidth: 28})),
  ];
  const svg = Plot.plot({
    width, height, marginLeft: left, marginRight: right, marginTop: top, marginBottom: bottom,
    style: {fontSize: `${font_px}px`}, symbol: {type: "identity"},
    x: {type: "log", domain, axis: null, insetLeft: inset},
    y: {type: "linear", domain: [items.length - 0.5, -0.5 - (stacked ? 0.3 : 0)], axis: null},
    marks,
  });
  const places = items.map(item => ({x: svg.scale("x").apply(item.value), y: svg.scale("y").apply(item.row),
                                     text: item_text(item, ranking)}));
  return {svg, places, names: []};
}

function table(columns, rows, caption = "") {
  const head = element("tr", {}, ...columns.map(c => element("th", {scope: "col", class: c.left ? "left" : ""}, c.title)));
  const body = rows.map(row => element("tr", {}, ...row.map((cell, i) =>
    element("td", {class: `${columns[i]?.left ? "left" : ""} ${cell.length <= 24 ? "short" : ""}`}, cell))));
  const made = element("table", {}, ...(caption ? [element("caption", {}, caption)] : []),
                       element("thead", {}, head), element("tbody", {}, ...body));
  return element("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": caption || "table"}, made);
}

function behind(rows) {
  return element("details", {}, element("summary", {}, "The figures in a table"), rows);
}

function chart_table(chart) {
  const columns = [{title: "", left: true}, {title: chart.x}, {title: chart.y}, {title: "from"}, {title: "to"},
                   {title: "what", left: true}];
  return table(columns, chart.series.flatMap(one => one.points.map(point =>
    [one.name, figure(point.x), figure(point.y), figure(point.low), figure(point.high), point.name ?? ""])));
}

function ranking_table(ranking) {
  const compared = ranking.other_name ? [{title: ranking.other_name}] : [];
  const columns = [{title: "", left: true}, ...compared, {title: ranking.value_name}, {title: "from"}, {title: "to"},
                   {title: "", left: true}];
  return table(columns, ranking.items.map(item => [item.name, ...(compared.length ? [figure(item.other)] : []),
    figure(item.value), figure(item.low), figure(item.high), item.note]));
}

// Arrow keys go from point to point: each is read out, and its tip opens as under a pointer.
function walk(plot, read, state) {
  let at = -1;
  plot.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (!step && event.key !== "Escape") return;
    event.preventDefault();
    const svg = plot.querySelector("svg"), box = svg.getBoundingClientRect();
    if (event.key === "Escape") {
      at = -1;
      read.textContent = "";
      svg.dispatchEvent(new PointerEvent("pointerleave", {pointerType: "mouse"}));
      return;
    }
    at = (at + step + state.places.length) % state.places.length;
    const place = state.places[at];
    read.textContent = place.text;
    const scale = box.width / svg.viewBox.baseVal.width;
    svg.dispatchEvent(new PointerEvent("pointermove", {pointerType: "mouse", bubbles: true,
      clientX: box.left + place.x * scale, clientY: box.top + place.y * scale}));
  });
}

// A chart that is drawn anew when its width changes.
function chart_figure(block, draw, rows) {
  const plot = element("div", {class: "plot", tabindex: 0, role: "group",
                               "aria-label": `${block.title}: chart; arrow keys read its points`});
  const read = element("output", {class: "read", "aria-live": "polite"});
  const names = element("ul", {class: "lines"});
  const state = {places: []};
  let drawn = 0;
  const redraw = () => {
    const width = Math.floor(plot.clientWidth);
    if (!width || width === drawn) return;
    drawn = width;
    const made = draw(block, width);
    state.places = made.places;
    plot.replaceChildren(made.svg);
    names.replaceChildren(...made.names.map(name => element("li", {}, name)));
  };
  new ResizeObserver(redraw).observe(plot);
  walk(plot, read, state);
  const title = block.other_name ? `${block.title} (● ${block.value_name}, × ${block.other_name})` : block.title;
  const made = element("figure", {}, element("figcaption", {}, title), plot, names, read, behind(rows(block)));
  return {made, redraw};
}

const drawers = [];
const blocks = {
  heading: block => element("h3", {}, block.text),
  paragraph: block => element("p", {class: "note"}, block.text.trim()),
  listing: block => element("details", {}, element("summary", {}, block.title), element("pre", {}, block.text)),
  grid: block => table(block.columns, block.rows, block.caption),
  statement: block => {
    const rest = [block.figures && `; ${block.figures}`, block.why && `. ${block.why.replace(/\.$/, "")}.`]
      .filter(Boolean).join("");
    return element("p", {class: "statement", "data-verdict": block.verdict}, `${block.text}: `,
                   element("span", {class: "verdict"}, block.verdict), rest);
  },
  chart: block => drawn_later(chart_figure(block, draw_chart, chart_table)),
  ranking: block => drawn_later(chart_figure(block, draw_ranking, ranking_table)),
};

function drawn_later({made, redraw}) {
  drawers.push(redraw);
  return made;
}

const key = {textbook: "textbook: as on the slides", ours: "ours: tuned for speed", library: "library",
             theory: "theory: a bound or a limit, dotted in the colour of what it bounds"};
for (const [family, text] of Object.entries(key)) {
  const {colour, dash, symbol} = look(family, 0);
  const svg = Plot.plot({width: 46, height: 14, margin: 4, axis: null, symbol: {type: "identity"}, marks: [
    Plot.line([[0, 0], [2, 0]], {stroke: colour, strokeWidth: 2.2, strokeDasharray: dash}),
    ...(family === "theory" ? [] : [Plot.dot([[1, 0]], {symbol: () => symbol, stroke: colour, r: 4,
      fill: family === "ours" ? colour : "var(--paper)"})]),
  ]});
  document.getElementById("key").append(element("li", {}, svg, text));
}

for (const [i, section] of data.sections.entries()) {
  const id = `section-${i + 1}`;
  document.getElementById("sections").append(element("li", {}, element("a", {href: `#${id}`}, section.title)));
  const made = element("section", {id}, element("h2", {}, section.title));
  for (const article of section.articles)
    made.append(...(article.of ? [element("p", {class: "of"}, article.of)] : []),
                ...article.blocks.map(block => blocks[block.is](block)));
  document.querySelector("main").append(made);
}
for (const redraw of drawers) redraw();
