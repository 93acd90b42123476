// The rules of the page allow no styles in markup. The emulator writes some: as elements, and as attributes of cells with
// colours of their own. Both are said again by the interface for styles, which the rules allow, as only scripts can use it.

const createElement = document.createElement.bind(document);

let isInstalled = false;

/** Lets scripts write styles in the two ways that the rules of the page would refuse. */
export function allowWrittenStyles(): void {
  if (isInstalled) return;
  isInstalled = true;
  const create = (tag: string, options?: ElementCreationOptions): HTMLElement =>
    tag === "style" ? styleElement() : createElement(tag, options);
  Object.defineProperty(document, "createElement", { value: create, configurable: true });
  const asWritten = Object.getOwnPropertyDescriptor(Element.prototype, "setAttribute");
  const setAttribute = function (this: Element, name: string, value: string): void {
    if (name === "style" && this instanceof HTMLElement) this.style.cssText = value;
    else Reflect.apply(asWritten?.value, this, [name, value]);
  };
  Object.defineProperty(Element.prototype, "setAttribute", { ...asWritten, value: setAttribute });
}

/** An element whose text is a style sheet for as long as it is on the page. */
function styleElement(): HTMLElement {
  const element = createElement("span");
  element.hidden = true;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  Object.defineProperty(element, "textContent", {
    get: () => "",
    set: (text: string) => {
      sheet.replaceSync(text);
    },
  });
  Object.defineProperty(element, "remove", {
    value: () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
      Element.prototype.remove.call(element);
    },
  });
  return element;
}
