import{a,b}from"./chunk-ZGECO232.js";import"./chunk-Q3JJOZ7M.js";import"./chunk-GAMMXIXP.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
