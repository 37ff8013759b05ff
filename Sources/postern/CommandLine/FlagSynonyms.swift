/// Flags of other commands, or of other programs, and what this command may call the same.
enum FlagSynonyms {
  /// The names for each, the likeliest first: the first that a command has is its own word for it.
  private static let names: [String: [String]] = [
    // The control port: `postern ctl --url` is `postern storm --control-url`.
    "control-url": ["url"],
    "control-secret-file": ["secret-file"], "secret-file": ["control-secret-file"],
    // The gateway: `postern proxy --to` is `postern storm --url`.
    "url": ["to"], "to": ["upstream", "url"], "upstream": ["to"],
    // Tokens, in the words of their claims.
    "life": ["token-life"], "token-life": ["life"], "ttl": ["life", "token-life"], "kid": ["key-id"],
    "sub": ["user"],
  ]

  /// Returns the flag of `flags` that means the same as the unknown flag `name`; nil if none is known to.
  static func own(for name: String, among flags: some Collection<String>) -> String? {
    names[name]?.first { flags.contains($0) }
  }
}
