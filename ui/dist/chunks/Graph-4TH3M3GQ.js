import{a,b}from"./chunk-7H2WCPU3.js";import"./chunk-WK4UV2GH.js";import"./chunk-QQSOEHII.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
