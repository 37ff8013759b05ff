import GatewayJSON
import GatewayWires
import Testing

/// A source of holes' values from a table.
private struct Table: HoleSource {
  var user = "ann"
  var sent: [Int: String] = [0: "7"]

  func value(of hole: Hole) -> String? {
    switch hole {
    case .user: user
    case .token: "a.b\"c"
    case .id: "12"
    case .sent(let slot): sent[slot]
    default: nil
    }
  }
}

struct TemplateTests {
  private let names = HoleNames(taken: ["sid"], sent: ["login"])

  private func described(_ value: String) throws -> Described {
    try DescriptionFile.parse(Array("{\"say\": \(value)}".utf8), file: "wire.json").members()[0].value
  }

  private func json(_ value: String) throws -> String {
    try Template(json: try described(value), names).text(from: Table())
  }

  private func complaint(_ value: String) -> String {
    do {
      _ = try json(value)
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test
  func `a template of JSON keeps every kind of value, and escapes what fills a placeholder`() throws {
    #expect(
      try json(#"{"t": "{{token}}", n: [1, .5, true, null, "ä\n"], o: {}}"#)
        == #"{"t":"a.b\"c","n":[1,0.5,true,null,"ä\u000a"],"o":{}}"#)
  }

  @Test
  func `a template has filters, of which :number removes the quotes`() throws {
    #expect(
      try json(#"["{{id:number}}", "<{{user:base64}}>", "{{token:url}}", "{{user:json}}", "{{user:base64url}}"]"#)
        == #"[12,"<YW5u>","a.b%22c","\"ann\"","YW5u"]"#)
    #expect(throws: HoleError.noNumber("user")) { try json(#"["{{user:number}}"]"#) }
  }

  @Test
  func `a template in a path encodes what fills a placeholder, and not the rest`() throws {
    let template = try Template(url: try described(#""/users/{{user}}/a?b=c""#), names)
    #expect(try template.text(from: Table(user: "a/b c")) == "/users/a%2Fb%20c/a?b=c")
  }

  @Test
  func `a template refuses a value that would end the message on a wire of lines`() throws {
    let template = try Template(try described(#""CONNECT {{user}}""#), names)
    #expect(throws: HoleError.holdsSeparator("user")) {
      try template.text(from: Table(user: "a\r\nPUB x"), refusing: Array("\r\n".utf8))
    }
    #expect(throws: HoleError.holdsSeparator("user")) {
      try template.text(from: Table(user: "a\nPUB x"), refusing: Array("\r\n".utf8))
    }
    #expect(try template.text(from: Table(user: "a\nb")) == "CONNECT a\nb")
  }

  @Test
  func `a template that cannot be filled says which hole is empty`() throws {
    #expect(throws: HoleError.missing("taken.sid")) { try json(#"["{{taken.sid}}"]"#) }
  }

  @Test(arguments: [
    (#"["{{usr}}"]"#, "wire.json:1:10 /say/0: no such hole 'usr'; did you mean 'user'?"),
    (#"["{{user"]"#, "wire.json:1:10 /say/0: a hole that begins with {{ ends with }}"),
    (#"{"a": "{{user:bas64}}"}"#, "wire.json:1:15 /say/a: no such filter 'bas64'; did you mean 'base64'"),
    (#"["{{taken.id}}"]"#, "wire.json:1:10 /say/0: nothing takes 'id'; a rule with \"take\": {\"id\": POINTER}"),
    (#"["{{sent.logn:number}}"]"#, "wire.json:1:10 /say/0: no message 'logn' under /say; did you mean 'login'?"),
    (#"["x{{id:number}}"]"#, "wire.json:1:10 /say/0: {{id:number}} stands alone in its string"),
    (#"{"{{user}}": 1}"#, "wire.json:1:22 /say/{{user}}: a member's name has no holes"),
  ])
  func `a template with a mistake in a placeholder is refused, and the error names the mistake and its place`(
    value: String, expected: String
  ) {
    let complaint = complaint(value)
    #expect(complaint.hasPrefix(expected), "\(complaint)")
  }
}
