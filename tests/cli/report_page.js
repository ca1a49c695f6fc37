// Finds what is wrong with the page of a report as it is laid out now: an expression whose value is a list of sentences.
(() => {
  const faults = [];
  const fault = (words, element) => {
    if (faults.length < 40) faults.push(`${words}: ${(element.textContent.trim() || element.tagName).replace(/\s+/g, " ").slice(0, 80)}`);
  };
  const width = document.documentElement.clientWidth;
  for (const details of document.querySelectorAll("details")) details.open = true;

  if (document.documentElement.scrollWidth > width)
    faults.push(`the page is ${document.documentElement.scrollWidth} wide, its window ${width}`);

  // A box that scrolls holds what is wider; nothing else reaches beyond the window.
  const scrolls = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
  const box_of = (element) => {
    for (let up = element.parentElement; up; up = up.parentElement) if (scrolls(up)) return up;
    return null;
  };
  const shown = (element) => element.getClientRects().length > 0;
  for (const element of document.body.querySelectorAll("*"))
    if (shown(element) && !box_of(element) && element.getBoundingClientRect().right > width + 0.5)
      fault("reaches beyond the window", element);

  // A table that its box cuts scrolls, says so in words beside it, and keeps the names of its rows.
  for (const table of document.querySelectorAll("table")) {
    const box = box_of(table);
    if (!box) continue;
    const wider = table.getBoundingClientRect().width > box.clientWidth + 0.5;
    const hint = box.parentElement.querySelector(".hint");
    const said = hint && getComputedStyle(hint).visibility === "visible" && hint.getBoundingClientRect().height > 10;
    if (!wider) {
      if (said) fault("says that it scrolls and does not", table);
      continue;
    }
    if (!said || hint.getBoundingClientRect().right > width) fault("does not say that it scrolls", table);
    if (!getComputedStyle(box).backgroundImage.includes("gradient")) fault("has no shadow where it is cut", table);
    box.scrollLeft = box.scrollWidth;
    const [left, right] = [box.getBoundingClientRect().left, box.getBoundingClientRect().right];
    const name = table.querySelector("tbody th").getBoundingClientRect();
    if (name.left < left - 0.5 || name.left > left + 0.5) fault("loses the names of its rows", table);
    if (name.width > 0.5 * box.clientWidth) fault("has names that leave no room for numbers", table);
    if (table.getBoundingClientRect().right > right + 0.5) fault("cannot be scrolled to its end", table);
    box.scrollLeft = 0;
  }

  // Pictures: a caption each; texts lie within them, apart from each other, and can be read.
  for (const svg of document.querySelectorAll("svg")) {
    if (!shown(svg)) continue;
    const frame = svg.getBoundingClientRect();
    const figure = svg.closest("figure");
    if (!figure || !figure.querySelector("figcaption")) fault("has no caption", svg);
    const texts = [...svg.querySelectorAll("text")];
    const boxes = texts.map((text) => text.getBoundingClientRect());
    const scale = frame.width / svg.viewBox.baseVal.width;
    texts.forEach((text, i) => {
      const box = boxes[i];
      if (box.left < frame.left - 0.5 || box.right > frame.right + 0.5 || box.top < frame.top - 0.5 ||
          box.bottom > frame.bottom + 0.5)
        fault(`lies outside its picture (${svg.getAttribute("aria-label").slice(0, 40)})`, text);
      const size = scale * parseFloat(getComputedStyle(text).fontSize);
      if (size < 10.5) fault(`has a font of ${size.toFixed(1)} px`, text);
      for (let j = 0; j < i; ++j)
        if (Math.min(box.right, boxes[j].right) - Math.max(box.left, boxes[j].left) > 1 &&
            Math.min(box.bottom, boxes[j].bottom) - Math.max(box.top, boxes[j].top) > 3)
          fault(`lies upon "${texts[j].textContent}"`, text);
    });
  }

  // No word goes on in the next line. A value that has no place to break at may.
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!shown(node.parentElement) || node.parentElement.closest("svg, style, .said td")) continue;
    for (const word of node.data.matchAll(/[\p{L}\p{N}]+/gu)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const tops = [...range.getClientRects()].map((rectangle) => Math.round(rectangle.top));
      if (new Set(tops).size > 1) fault(`"${word[0]}" is broken`, node.parentElement);
    }
  }

  // Pictures stand beside each other or below: no caption can say where.
  for (const element of document.querySelectorAll("p, figcaption, li"))
    if (/\b(left|middle|right):|\b(on the|to the) (left|right)\b/i.test(element.textContent))
      fault("says where a picture stands", element);
  return faults;
})()
