// First of all: the CSP forbids eval, which zod would try.
Reflect.set(globalThis, "__zod_globalConfig", { jitless: true });
