@echo off
rem Runs Petstore with the Node of this folder.
setlocal
if not defined PETSTORE_COMMAND set "PETSTORE_COMMAND=%~0"
"%~dp0runtime\node.exe" "%~dp0app\petstore.js" %*
