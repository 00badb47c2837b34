import{a,b}from"./chunk-XCPAPXUI.js";import"./chunk-R2CBB666.js";import"./chunk-4MGFNK2X.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
