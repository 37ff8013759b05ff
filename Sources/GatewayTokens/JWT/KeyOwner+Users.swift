package import GatewayCore

extension KeyOwner {
  /// Returns the user that the issuer calls `name`. Throws if the name is empty, too long, or looks like another issuer's user;
  /// the error names `claim`.
  package func user(_ name: String, in claim: String) throws(TokenError) -> UserID {
    let lengthMax = UserID.lengthMax - users.prefix.utf8.count
    guard !name.isEmpty, name.utf8.count <= lengthMax else {
      throw .claimInvalid(claim, expected: "a string of 1 to \(lengthMax) bytes")
    }
    let text = users.prefix + name
    if let prefixes,
      prefixes.value.all.contains(where: { Name($0) != Name(users.prefix) && text.utf8.starts(with: $0.utf8) })
    {
      throw .claimInvalid(claim, expected: "a name without the prefix of another issuer's users")
    }
    return UserID(text)
  }
}
