internal import GatewayCore
internal import GatewayJSON

// Users, companies and roles on the wire.

extension StreemUser {
  /// Returns the user as JSON text for `identified`.
  func json(_ company: StreemCompany) -> String {
    String(decoding: JSONWriter.object(capacity: 256) { write(to: &$0, company) }, as: UTF8.self)
  }

  func write(to json: inout JSONWriter, _ company: StreemCompany) {
    json.member("streemUserId", id.text)
    json.member("externalUserId", externalID.text)
    json.member("name", orNull: name)
    json.member("companyCode", company.code.text)
    json.member("companySid", company.sid)
    json.member("companyName", company.name)
    json.member("avatarUrl", orNull: avatarURL)
    json.member("isExpert", isExpert)
  }
}

extension JSONWriter {
  /// Writes the text, or null if there is none.
  mutating func member(_ name: StaticString, orNull text: String?) {
    self.name(name)
    if let text { string(text) } else { null() }
  }
}
