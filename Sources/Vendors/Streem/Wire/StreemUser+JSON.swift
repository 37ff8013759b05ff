internal import GatewayCore
internal import GatewayJSON

// Users, companies and roles as the wire has them.

extension StreemUser {
  /// The user as `identified` shows it, as JSON text.
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
  /// The text, or null if there is none.
  mutating func member(_ name: StaticString, orNull text: String?) {
    self.name(name)
    if let text { string(text) } else { null() }
  }
}
