import{a,b}from"./chunk-BLBXRGX5.js";import"./chunk-M5MKKNYZ.js";import"./chunk-VGYM324A.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
