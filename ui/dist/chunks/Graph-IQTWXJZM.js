import{a,b}from"./chunk-5YMS2T6Q.js";import"./chunk-QY255PXP.js";import"./chunk-7CTHKYSS.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
