/// The list of all faults.
package enum Faults {
  /// All faults, in the order of the places that they affect.
  package static let all: [any Fault.Type] = [
    // The upgrade.
    RefuseUpgrade.self, NeverAnswer.self,
    // The login.
    Signal.self,
    // Messages.
    Drop.self, Delay.self, Duplicate.self, Reorder.self, Replace.self, Corrupt.self, Say.self,
    Shorten.self,
    // The gateway's own closing.
    CloseAs.self, Abort.self, ResetInstead.self, NeverClose.self,
    // Sockets.
    Reset.self, HalfOpen.self, StopReading.self, NoPongs.self, UnfinishedClose.self,
    // Verification of tokens.
    JudgeSlowly.self, RefuseToken.self, RefuseForNow.self, RotateKeys.self, WithdrawKeys.self,
    // The application's backend.
    HookAnswer.self, HookSlow.self, HookNever.self, HookMalformed.self, HookDeny.self, HookDisconnect.self,
    // The application's identity provider.
    KeysAnswer.self, KeysSlow.self, KeysNever.self, KeysMalformed.self, KeysWithdraw.self, DiscoveryOtherIssuer.self,
    IntrospectAnswer.self, IntrospectInactive.self, IntrospectSlow.self,
    // Signals from outside.
    LogoutReplayed.self, LogoutForged.self, LogoutLate.self, EventReplayed.self, EventForged.self,
    // Webhooks.
    WebhookLate.self, WebhookTwice.self, WebhookUnsigned.self, WebhookWrongKey.self, WebhookReordered.self,
    WebhookLost.self,
    // The token provider.
    MintSlowly.self, MintNever.self, MintRate.self, MintRefused.self, MintLimited.self, MintSame.self, MintExpired.self,
    MintEarly.self,
    MintMalformed.self, MintForged.self, MintEmpty.self, MintForOther.self,
    // Clocks.
    IssuerClock.self, GatewayClock.self,
    // The store.
    StoreSlow.self, StoreAway.self, StoreLostAnswer.self, StoreConflict.self,
    // Answers over HTTP.
    AnswerLate.self, AnswerNever.self, AnswerWith.self,
  ]
}
