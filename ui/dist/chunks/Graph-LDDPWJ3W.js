import{a,b}from"./chunk-ZK2RPFMJ.js";import"./chunk-YYCZJKGF.js";import"./chunk-4KWGE4LS.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
