import{a,b}from"./chunk-AF5NVUOR.js";import"./chunk-DRVPUT3V.js";import"./chunk-2SBGED5R.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
