internal import GatewayCore
internal import GatewayJSON

/// The claims about a user, e.g. `"name":"Ann"`.
struct OpenIDProfile {
  let name: String
  let picture: String?

  /// Writes the claims of the scope `profile`, and the company, which every client of the vendor expects.
  func write(to json: inout JSONWriter, _ grant: OpenIDGrant) {
    if grant.hasProfile {
      json.member("name", name)
      if let picture { json.member("picture", picture) }
    }
    json.name(OpenIDKey.companyClaim)
    json.string(grant.company.text)
  }
}
