import{a,b}from"./chunk-WUCAIDBQ.js";import"./chunk-QI32V2HF.js";import"./chunk-HD4UDZCA.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
