import{a,b}from"./chunk-XIAVTRN4.js";import"./chunk-32PATJ4F.js";import"./chunk-C56YYPCG.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
