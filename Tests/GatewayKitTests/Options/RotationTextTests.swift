import GatewayCore
import Testing

@testable import GatewayKit

struct RotationTextTests {
  @Test
  func `a rotation in the form of the flag is read, and written in the same form`() throws {
    let policy = try RotationText.parse("grace=30s,replay=new,revokes=user,idle=14d")
    #expect(policy == RotationPolicy(grace: .seconds(30), replay: .new, revokes: .user, idle: .seconds(14 * 86_400)))
    #expect(policy.text == "grace=30s,replay=new,revokes=user,idle=1209600s")
    #expect(try RotationText.parse(policy.text) == policy)
    #expect(try RotationText.parse("strict") == RotationPolicy())
    #expect(try RotationText.parse("grace=1500ms").text == "grace=1500ms,replay=same,revokes=family")
  }

  @Test(arguments: [
    ("", "'' is not name=value"), ("grace", "'grace' is not name=value"), ("grace=2d", "grace=2d: expected"),
    ("grace=-1s", "grace=-1s: expected"), ("replay=resend", "replay=resend: expected same, new or refuse"),
    ("revokes=all", "revokes=all: expected family, user or nothing"), ("idle=0s", "idle=0s: expected"),
    ("grace=1s,grace=2s", "'grace' is given twice"), ("graze=1s", "'graze=' is unknown"),
    ("strict,grace=1s", "'strict' is not name=value"),
  ])
  func `a text that is not a rotation is refused, and the error names what would be right`(text: String, reason: String)
  {
    let error = #expect(throws: RotationText.Mistake.self) { try RotationText.parse(text) }
    #expect(error?.description.hasPrefix(reason) == true, "\(error?.description ?? "none")")
  }
}
