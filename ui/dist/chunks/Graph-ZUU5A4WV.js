import{a,b}from"./chunk-D4UTPZ7Q.js";import"./chunk-H72BAZLC.js";import"./chunk-O7I2RE6M.js";import"./chunk-6DHFEWGX.js";export{b as GraphView,a as default};
