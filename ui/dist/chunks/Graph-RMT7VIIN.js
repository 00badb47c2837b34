import{a,b}from"./chunk-AGQ47TWJ.js";import"./chunk-MKDLCAK6.js";import"./chunk-5P27TZEZ.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
