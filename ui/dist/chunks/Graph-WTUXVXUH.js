import{a,b}from"./chunk-M5JFZU3D.js";import"./chunk-MGY7PGX3.js";import"./chunk-CLQ7HQ6B.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
