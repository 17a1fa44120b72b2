// In a page that holds others in frames, one for each form: looks at every chart as it is drawn, then leaves nothing
// but its findings.
const least_font = {wide: 9.5, narrow: 9.5, printed: 8}, least_contrast = 4.5;

function luminance(colour) {
  const parts = colour.match(/[\d.]+/g).slice(0, 3).map(Number).map(part => part / 255)
    .map(part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function look_at_chart(window, form, svg, title, problems) {
  const frame = svg.getBoundingClientRect(), scale = frame.width / svg.viewBox.baseVal.width;
  if (12 * scale < least_font[form]) problems.push(`small: letters of ${(12 * scale).toFixed(1)} px in ${title}`);
  const boxes = [...svg.querySelectorAll("text")].map(text => ({text, name: `"${text.textContent}"`, box: text.getBoundingClientRect()}));
  boxes.forEach(({text, name, box: a}, i) => {
    if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1)
      problems.push(`cut off: ${name} in ${title}`);
    for (const {name: other, box: b} of boxes.slice(i + 1)) {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      // A line of text is higher than its letters.
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1 && high > 4 * scale) problems.push(`overlap: ${name} and ${other} in ${title}`);
    }
  });
  const paper = window.getComputedStyle(window.document.body).backgroundColor;
  const seen = new Set([...svg.querySelectorAll("text")].map(text => window.getComputedStyle(text).fill));
  for (const path of svg.querySelectorAll(".k .line, .k .dot")) seen.add(window.getComputedStyle(path).color);
  for (const colour of seen)
    if (contrast(colour, paper) < least_contrast) problems.push(`pale: ${colour} on ${paper} in ${title}`);
  return boxes.length;
}

// The first figure's buttons, as a reader would press them.
function keep(window, problems) {
  for (const button of window.document.querySelector("figure").querySelectorAll("button")) button.click();
  const [svg, csv] = window.kept;
  const parsed = new DOMParser().parseFromString(svg ?? "", "image/svg+xml");
  if (parsed.documentElement.localName !== "svg" || !parsed.querySelector("style, *|style")) problems.push("keep: no SVG");
  if (!/^[^\n]*,[^\n]*\n[^\n]+,/.test(csv ?? "")) problems.push("keep: no CSV");
}

function look_at_links(document, problems) {
  for (const link of document.querySelectorAll("a[href^='#']"))
    if (!document.getElementById(link.getAttribute("href").slice(1))) problems.push(`no target: ${link.outerHTML}`);
  const anchors = [...document.querySelectorAll("[id]")].map(one => one.id);
  for (const [i, id] of anchors.entries()) if (anchors.indexOf(id) !== i) problems.push(`twice: ${id}`);
}

function look_at(frame) {
  const window = frame.contentWindow, {document, problems} = window;
  const page = document.documentElement;
  let texts = 0;
  const figures = [...document.querySelectorAll("figure")];
  for (const figure of figures) {
    const title = figure.dataset.name, drawn = [...figure.querySelectorAll("svg")].filter(svg => svg.getClientRects().length);
    if (drawn.length !== 1) problems.push(`${drawn.length} drawings of ${title}`);
    for (const svg of drawn) texts += look_at_chart(window, frame.name, svg, title, problems);
    if (!figure.querySelector("table tbody tr")) problems.push(`no table behind ${title}`);
    if (!drawn[0]?.getAttribute("aria-label")) problems.push(`no words for ${title}`);
  }
  if (page.scrollWidth > page.clientWidth) problems.push(`wide: ${page.scrollWidth} of ${page.clientWidth} px`);
  const levels = [...document.querySelectorAll("h1, h2, h3")].map(heading => Number(heading.localName[1]));
  levels.forEach((level, i) => { if (i && level > levels[i - 1] + 1) problems.push(`heading ${i} skips a level`); });
  look_at_links(document, problems);
  if (document.querySelector("figure button")?.getClientRects().length) keep(window, problems);
  const lefts = new Set([...document.querySelectorAll(".halves figure")].map(one => Math.round(one.getBoundingClientRect().left)));
  return {form: frame.name, height: page.scrollHeight, charts: figures.length, texts, title: document.title, halves: lefts.size,
          statements: document.querySelectorAll(".statement").length, tables: document.querySelectorAll("table").length,
          sections: [...document.querySelectorAll("h2")].map(heading => heading.textContent), problems};
}

addEventListener("load", () => setTimeout(() => {
  const found = [];
  for (const frame of document.querySelectorAll("iframe"))
    try {
      found.push(look_at(frame));
    } catch (error) {
      found.push({form: frame.name, problems: [`error: ${error.stack}`]});
    }
  document.documentElement.innerHTML = "<body></body>";
  document.body.textContent = JSON.stringify(found);
}, 300));
