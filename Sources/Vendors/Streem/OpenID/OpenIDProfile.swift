internal import GatewayCore
internal import GatewayJSON

/// The claims about a user: `"name":"Ann"`, for instance.
struct OpenIDProfile {
  let name: String
  let picture: String?

  /// The claims of the scope `profile`, and the company, which every client of the vendor's looks for.
  func write(to json: inout JSONWriter, _ grant: OpenIDGrant) {
    if grant.hasProfile {
      json.member("name", name)
      if let picture { json.member("picture", picture) }
    }
    json.name(OpenIDKey.companyClaim)
    json.string(grant.company.text)
  }
}
