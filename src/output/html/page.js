"use strict";
(() => {
  // Tables: a button in each heading sorts by that column. Rows without a value come last.
  const key = (row, at, numeric) => {
    const text = row.cells[at] ? row.cells[at].textContent.trim() : "";
    if (!numeric) {
      return text;
    }
    const infinite = { inf: Infinity, "+inf": Infinity, "-inf": -Infinity };
    return text in infinite ? infinite[text] : parseFloat(text);
  };
  const words = new Intl.Collator("en", { numeric: true });
  const sortBy = (table, header) => {
    const at = header.cellIndex;
    const numeric = header.classList.contains("n");
    const descending = header.getAttribute("aria-sort") === "ascending";
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [key(row, at, numeric), row]);
    const missing = (value) => value === "" || Number.isNaN(value);
    rows.sort(([a], [b]) => {
      if (missing(a) || missing(b)) {
        return missing(a) - missing(b);
      }
      const order = numeric ? (a > b) - (a < b) : words.compare(a, b);
      return descending ? -order : order;
    });
    for (const other of header.parentNode.cells) {
      other.removeAttribute("aria-sort");
    }
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    body.append(...rows.map(([, row]) => row));
  };
  for (const table of document.querySelectorAll("table")) {
    if (!table.tHead || !table.tBodies[0] || table.tBodies[0].rows.length < 2) {
      continue;
    }
    for (const header of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      button.addEventListener("click", () => sortBy(table, header));
      header.append(button);
    }
  }

  // A box that does not scroll needs no stop of the tab key.
  const boxes = document.querySelectorAll(".scroll, pre, .picture-box");
  const fit = () => {
    for (const box of boxes) {
      if (box.scrollWidth > box.clientWidth + 1) {
        box.tabIndex = 0;
      } else if (!box.dataset.keys) {
        box.removeAttribute("tabindex");
      }
    }
  };
  fit();
  addEventListener("resize", fit);
  for (const part of document.querySelectorAll("details")) {
    part.addEventListener("toggle", fit);
  }
  // Printing shows everything; afterwards it is as it was.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    opened.forEach((part) => { part.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((part) => { part.open = false; }));

  // Pictures: the value nearest to the pointer, or chosen with the arrow keys, stands in a line below.
  for (const figure of document.querySelectorAll("figure.picture")) {
    const box = figure.querySelector("[data-keys]");
    const line = figure.querySelector(".value");
    const svg = figure.querySelector("svg");
    if (!box || !line || !svg) {
      continue;
    }
    const values = Array.from(svg.querySelectorAll("title"))
      .filter((title) => title.parentNode !== svg && title.parentNode.tagName !== "g")
      .map((title) => ({ mark: title.parentNode, text: title.textContent }));
    if (values.length === 0) {
      box.removeAttribute("tabindex");
      delete box.dataset.keys;
      line.remove();
      continue;
    }
    const idle = line.textContent;
    let chosen = -1;
    const choose = (index) => {
      if (index === chosen) {
        return;
      }
      if (chosen >= 0) {
        values[chosen].mark.classList.remove("chosen");
      }
      chosen = index;
      line.textContent = chosen < 0 ? idle : values[chosen].text;
      if (chosen >= 0) {
        values[chosen].mark.classList.add("chosen");
      }
    };
    const nearest = (x, y) => {
      let best = -1;
      let distance = 40 * 40;
      values.forEach(({ mark }, index) => {
        const place = mark.getBoundingClientRect();
        const dx = Math.max(place.left - x, 0, x - place.right);
        const dy = Math.max(place.top - y, 0, y - place.bottom);
        const found = dx * dx + dy * dy;
        if (found < distance) {
          best = index;
          distance = found;
        }
      });
      return best;
    };
    svg.addEventListener("pointermove", (event) => choose(nearest(event.clientX, event.clientY)));
    svg.addEventListener("pointerdown", (event) => choose(nearest(event.clientX, event.clientY)));
    svg.addEventListener("pointerleave", () => choose(-1));
    const last = values.length - 1;
    box.addEventListener("keydown", (event) => {
      const next = {
        ArrowRight: chosen >= last ? 0 : chosen + 1,
        ArrowDown: chosen >= last ? 0 : chosen + 1,
        ArrowLeft: chosen <= 0 ? last : chosen - 1,
        ArrowUp: chosen <= 0 ? last : chosen - 1,
        Home: 0,
        End: last,
        Escape: -1,
      }[event.key];
      if (next !== undefined) {
        event.preventDefault();
        choose(next);
        if (chosen >= 0) {
          values[chosen].mark.scrollIntoView({ block: "nearest", inline: "nearest" });
        }
      }
    });
    box.addEventListener("blur", () => choose(-1));
  }
})();
