// The web page begins here; the host serves what is built from it.
export {};
