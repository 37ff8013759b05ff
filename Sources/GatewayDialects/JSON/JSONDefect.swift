/// Why bytes are not the JSON object that was expected. Says where, never what stands there: it may be a token.
struct JSONDefect: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
