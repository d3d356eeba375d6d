import { RouterProvider } from '@tanstack/react-router'
import { createConsoleRouter } from '../routes.tsx'

const router = createConsoleRouter()

/** All screens. It is loaded when someone is signed in. */
export function Console() {
  return <RouterProvider router={router} />
}
