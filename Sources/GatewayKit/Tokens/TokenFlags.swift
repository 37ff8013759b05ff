/// The flags of the token commands that every scheme has.
package enum TokenFlags {
  /// Returns the flags of `mint`.
  ///
  /// - Parameter notes: The text that vendors add to the help of a flag.
  package static func minting(_ notes: (_ flag: String) -> String = { _ in "" }) -> [Flag] {
    [
      Flag("user", "ID", "the user; !anon for an anonymous one"),
      Flag("kind", "KIND", "regular (default), guest, anonymous" + notes("kind")),
      Flag("life", "DURATION", "how long the token is good (default 1h)" + notes("life")),
      Flag("expires", "UNIX_S", "when the token expires, in place of --life; never for no expiry"),
      Flag("issued-at", "UNIX_S", "when the token was issued (default now)"),
      Flag("call", "CID", "a call the token opens, as type:id", repeats: true),
      Flag("claim", "NAME=VALUE", "a further claim, or another value for one; JSON or text", repeats: true),
      Flag("typ", "TYPE", "the typ in the header (default JWT)"),
      Flag("issuer", "TEXT", "the iss"),
      Flag("audience", "TEXT", "the aud"),
    ]
  }

  /// Returns the flags of `verify`.
  ///
  /// - Parameter schemes: The schemes that use a user's name.
  package static func verifying(ofUsers schemes: String = "") -> [Flag] {
    [
      Flag("user", "ID", "the user that must be the token's (\(schemes))"),
      Flag("at", "UNIX_S", "as of this time (default now)"),
      Flag("typ", "TYPE", "the typ the token must have"),
      Flag("require-expiry", nil, "refuse a token without exp"),
      Flag("json", nil, "print one JSON object"),
    ]
  }
}
