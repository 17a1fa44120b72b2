// Keeps a chart as SVG, or its figures as CSV. Without this script the page can be read all the same.
"use strict";

// What is drawn here now, with the style that it needs alone.
function svg_of(figure) {
  const svg = [...figure.querySelectorAll("svg")].find(one => one.getClientRects().length).cloneNode(true);
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = document.getElementById("chart-style").textContent;
  svg.prepend(style);
  return new XMLSerializer().serializeToString(svg);
}

function csv_of(figure) {
  const quoted = text => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [...figure.querySelectorAll("tr")]
    .map(row => [...row.cells].map(cell => quoted(cell.textContent)).join(",") + "\n").join("");
}

const kinds = {svg: ["image/svg+xml", svg_of], csv: ["text/csv", csv_of]};

for (const figure of document.querySelectorAll("figure")) {
  const buttons = document.createElement("span");
  buttons.className = "keep";
  for (const [kind, [type, made]] of Object.entries(kinds)) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind.toUpperCase();
    button.setAttribute("aria-label", `Keep ${figure.dataset.name} as ${kind.toUpperCase()}`);
    button.addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([made(figure)], {type}));
      link.download = `${figure.dataset.name}.${kind}`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
    buttons.append(button);
  }
  figure.querySelector("figcaption").append(buttons);
}
