import{a,b}from"./chunk-M5UGG57S.js";import"./chunk-TUE5CA76.js";import"./chunk-IFR3G4V3.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
