#!/usr/bin/env node
// The guides of 1.1.0 name this file for commands in a container.
import './main.js'
