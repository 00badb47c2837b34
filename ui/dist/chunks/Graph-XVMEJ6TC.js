import{a,b}from"./chunk-DVK32AG2.js";import"./chunk-OGKICHHN.js";import"./chunk-PJDZRVGO.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
