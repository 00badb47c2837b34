import{a,b}from"./chunk-BS4UHPHO.js";import"./chunk-4BOD3MWS.js";import"./chunk-LYBHCXTR.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
