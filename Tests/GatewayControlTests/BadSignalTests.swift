import GatewayControl
import GatewayCore
import GatewayRuntime
import Testing

/// A verdict on logouts that faults send.
struct BadSignalTests {
  private func story(_ tell: (Story) -> Void) -> Story {
    let story = Story(.login)
    tell(story)
    return story
  }

  @Test
  func `a session that a forged logout has closed fails outlives_bad_signals, by the lines that show it`() {
    let story = story { story in
      story.write(fault: "logout_forged")
      story.write(.cutOff(.tokenRevoked))
      story.write(signal: "logout", isPlayed: true)
    }
    let verdict = story.verdict(.outlivesBadSignals)
    #expect(verdict.outcome == .failed && verdict.lines == [5, 6, 7], "\(verdict)")
  }

  @Test
  func `a session that a right logout has closed beside bad ones passes outlives_bad_signals`() {
    let story = story { story in
      story.write(fault: "logout_replayed")
      story.write(signal: "logout", failure: "invalid_key", isPlayed: true)
      story.write(.cutOff(.tokenRevoked))
      story.write(signal: "logout", isPlayed: false)
      story.write(fault: "event_replayed")
      story.write(signal: "session-revoked", isPlayed: true)
    }
    let verdict = story.verdict(.outlivesBadSignals)
    #expect(verdict.outcome == .passed && verdict.lines == [5, 9], "\(verdict)")
  }

  @Test
  func `without a signal of a fault outlives_bad_signals is undecided`() {
    let story = story { story in
      story.write(fault: "drop")
      story.write(.cutOff(.tokenRevoked))
      story.write(signal: "logout", isPlayed: false)
    }
    #expect(story.verdict(.outlivesBadSignals).outcome == .undecided)
  }
}
