import{a,b}from"./chunk-DXPOPQIB.js";import"./chunk-HSKC7EO6.js";import"./chunk-Q4HDPZBQ.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
