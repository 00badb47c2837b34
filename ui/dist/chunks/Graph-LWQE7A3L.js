import{a,b}from"./chunk-YWSOILDW.js";import"./chunk-TR7GVDCE.js";import"./chunk-NBQDEYK6.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
