import{a,b}from"./chunk-QSGNF6H5.js";import"./chunk-5EXD7RRG.js";import"./chunk-BDMX5HO2.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
