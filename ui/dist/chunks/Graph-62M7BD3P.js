import{a,b}from"./chunk-4OY5HG5Q.js";import"./chunk-P2QUM5UD.js";import"./chunk-PKDMDMAL.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
