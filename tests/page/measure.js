// Put behind the page's own scripts: looks at every chart as it is drawn, then leaves nothing but its findings.
{
  const shown = box => box.width > 0 && box.height > 0;
  const name = text => `"${text.textContent}"`;
  let texts = 0, walked = 0;
  const charts = [...document.querySelectorAll("figure")];
  for (const chart of charts) {
    const title = chart.querySelector("figcaption").textContent, svg = chart.querySelector(".plot svg");
    if (!svg) {
      problems.push(`no chart: ${title}`);
      continue;
    }
    const frame = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll("text")].map(text => ({text, box: text.getBoundingClientRect()}))
      .filter(({box}) => shown(box));
    texts += boxes.length;
    boxes.forEach(({text, box: a}, i) => {
      if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1)
        problems.push(`cut off: ${name(text)} in ${title}`);
      for (const {text: other, box: b} of boxes.slice(i + 1)) {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        // A line of text is higher than its letters.
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 3) problems.push(`overlap: ${name(text)} and ${name(other)} in ${title}`);
      }
    });
    const lines = [...svg.querySelectorAll("g[aria-label=line]")].length;
    if (lines > 8) problems.push(`${lines} lines in ${title}`);
    // By the keyboard alone: the first point is read out.
    const plot = chart.querySelector(".plot");
    plot.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
    if (plot.tabIndex === 0 && chart.querySelector("output").textContent) ++walked;
    if (!chart.querySelector("details table tbody tr")) problems.push(`no table behind ${title}`);
  }
  const count = query => document.querySelectorAll(query).length;
  const found = {charts: charts.length, walked, texts, tables: count("main table"), statements: count(".statement"),
                 sections: [...document.querySelectorAll("h2")].map(heading => heading.textContent),
                 width: document.documentElement.scrollWidth, window: innerWidth, problems};
  document.documentElement.innerHTML = "<body></body>";
  document.body.textContent = JSON.stringify(found);
}
