import{a,b}from"./chunk-P4G5YKNZ.js";import"./chunk-C4JKRUFE.js";import"./chunk-YMK2ABB6.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
