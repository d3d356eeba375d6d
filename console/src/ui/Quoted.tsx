/** A name within a sentence. In a right-to-left script, it would otherwise move the quotation marks and what follows. */
export function Quoted({ children }: { children: string }) {
  return (
    <>
      “<bdi>{children}</bdi>”
    </>
  )
}
