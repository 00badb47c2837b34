import{a,b}from"./chunk-6ARKZAVW.js";import"./chunk-5ZSOC352.js";import"./chunk-XGD2OILC.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
