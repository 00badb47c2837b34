import{a,b}from"./chunk-QVSAWBD2.js";import"./chunk-VTIK3AYQ.js";import"./chunk-R26JSCMD.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
