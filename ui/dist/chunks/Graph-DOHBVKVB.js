import{a,b}from"./chunk-OBM7V27N.js";import"./chunk-EROG76XN.js";import"./chunk-6WK4CD6Q.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
