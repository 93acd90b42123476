// Comes before everything else: the rules of the page allow no code made of text, and what checks shapes would try to.
Reflect.set(globalThis, "__zod_globalConfig", { jitless: true });
