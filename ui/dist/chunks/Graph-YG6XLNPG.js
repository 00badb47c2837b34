import{a,b}from"./chunk-5L6SQYFO.js";import"./chunk-U43KUJQH.js";import"./chunk-P7FDT3UR.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
