/// Keys and tokens made by Python's cryptography and PyJWT; they protect nothing.
enum PythonKeys {
    /// A P-256 key, PKCS#8; its x begins with a zero byte.
    static let p256PEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPVTmNUG2zTcR9hoh
        /OyHbCV4PevhHkcc4GT4jN5baouhRANCAAQAouwXlmBlV7nxgMZlrLUaao5PJFi4
        PRHrZTbVFVtytEhtZMdlgBtSLsQ2LYYOaa/GQ3WbzEn/pFlxHPZIdEuB
        -----END PRIVATE KEY-----
        """

    /// The same key as JWK.
    static let p256PrivateJWK = """
        {"kty":"EC","crv":"P-256","x":"AKLsF5ZgZVe58YDGZay1GmqOTyRYuD0R62U21RVbcrQ","y":"SG1kx2WAG1IuxDYthg5\
        pr8ZDdZvMSf-kWXEc9kh0S4E","d":"PVTmNUG2zTcR9hoh_OyHbCV4PevhHkcc4GT4jN5baos","kid":"ec-1"}
        """

    /// A token signed with it: `typ` `at+jwt`, `iss` `maru`, `aud` `maru` and `other`, from 1700000000 to 1700000900.
    static let p256Token = """
        eyJhbGciOiJFUzI1NiIsImtpZCI6ImVjLTEiLCJ0eXAiOiJhdCtqd3QifQ.eyJpc3MiOiJtYXJ1Iiwic3ViIjoiNDIiLCJzaWQiO\
        iI3IiwiYXVkIjpbIm1hcnUiLCJvdGhlciJdLCJpYXQiOjE3MDAwMDAwMDAsIm5iZiI6MTcwMDAwMDAwMCwiZXhwIjoxNzAwMDAwO\
        TAwfQ.AWad0lCj6Vxxoz9gQGtXYPMb9I99lBDstJc2Wic2UT7zX64gd4HxwfbMcd8l6tUV75L9QGgq3DJkdfW_gR_ErQ
        """

    /// An RSA key of 2,048 bits, PKCS#8.
    static let rsaPEM = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCZi/L0dOT6p8S6
        jOsjHTNGTfBPoxmgj4qkqOFIsYuwhc+BNiMPU64G0sdItff53mDkvEsrDB6uLPPv
        D8Wo2XFNtk2T0ZnMwxcVMFhxjr4hy4zDBQlR1V5rdSR3wLqhGEuWx71XiSTW4dFq
        S/aExOrfLV3uN/77B/Vr22jXabmMegQRVEEfx3uVNKj7WGgwEdlK6VxsQ6QCWFo6
        MtPkeHgh++zNDIcTwlL8hRbM4nedpGGG9JboxB8PqNmqyYMf/9fQcSPgxNvswUMJ
        DQGDVDHhdNiqZT7dQNuUgPjSwMxVQRTmwMqJThB+W2CEHplODLUDmhpi9W1jvqJ7
        NjQsZ+G/AgMBAAECggEAQOCUIFw/3/UBN72RIL4Wyy7lShDlJCVidF5zCg8Ssdxo
        J/Vi7PfzgSiQUZWpmGcw05UHwcGWOQv/adRlNQnjSO2ta7bVYGJSH37U7+5bQdZK
        vKAlJvGbupW9eefyM10bmzL8Or9U1IKHxH0iRUka4H+/v4bjctgTB6ambtZaMxM3
        h4dOWWWJ7ZGs1vadB0RF9hsQUMZxv6HZXX+y0zhRsvOsPQoLfqE3e4hjkmGkQYTf
        YnmANXPHkau8/jEWxyZCQei8kg2MND+PkRPXCt4x0Kayve3rzwP45bSuOYxK9Y0w
        YAND6IonQ9qliGGZGGPM50O8nfTHCjzrTga8uLjXyQKBgQDLv8u/18Rvdhv5o18d
        2/Uy9ueGH2Xj7Jv8zGvwT+gps53K375+0h75OpX8GbqEPwbeJ4Bn4sBi/+r69cm5
        9ll1dikFe117upqx0LdD7Y/e8Z+1VXBGO7OWiY4wb2rjduADjtI9imvzYRosWwve
        Un3Xbq76w9sLaCgw/xeg9QlpfQKBgQDA7FccWTL9AU3IpBeKKAUxf0Emwovo6NsK
        HFjvxmuFkKmrsmTQ4fAQSBQS2ANvzeBRTKQ90zIR2+vZDMA1gq/iWLNtywgdN/fF
        ebhfgwZ7t6pIy6oP9znmcWBV0scgg9oX2ZqW6G+lOgHROLIgUN7sa00ji05d4xuL
        y9jOaDH86wKBgG+NFZd2IYVI6+4UZRoq+CcsCPxkqltMiuawYRRUG27heS2+rEQw
        9GZNjhpVV8nZ2/+7LtEx01Ugel1mPkjDOJ1X0QPAVCFOvC1IcV4ObauJLICSQ4Mg
        YqWzsBaSmbnptqIcCr1I0OuSKUtJmcjh7yYI4mJG4uFu6DpTH3OvVLTdAoGAVYq1
        2WEHxb1FQxjXQzAZlWfqeIg8xyowrVwCZ1bgqBmL0hDIuQHlkyKSnARiCboMo5/L
        F4rEobyU5+nKdC+dU0ynSqCC2YnOeCZPhTIwtryqaZq8rlWdu7s7zvIlzxoHoxme
        fRlVH7sHwUBVYxTYs5WkX4VOWzzvIt5hJKx4tb8CgYEAiOt/0IzhdNrpxHC8neda
        9afNUwwcPp6d1sn6kRP01x7GHKPCMHgot5IVINqmFrRsHpoxAFgEi9xtU8nfWfgd
        sa8eUV3LpiMALTkr7JLaZ/mKPsSPLkRWuqRgkW40A9XnmtxdBOEH86+rDSH06HnP
        FC5pJnwaZSIbVDCzOidsQYM=
        -----END PRIVATE KEY-----
        """

    /// Its public half as JWK.
    static let rsaJWK = """
        {"kty":"RSA","key_ops":["verify"],"n":"mYvy9HTk-qfEuozrIx0zRk3wT6MZoI-KpKjhSLGLsIXPgTYjD1OuBtLHSLX3-\
        d5g5LxLKwwerizz7w_FqNlxTbZNk9GZzMMXFTBYcY6-IcuMwwUJUdVea3Ukd8C6oRhLlse9V4kk1uHRakv2hMTq3y1d7jf--wf1a\
        9to12m5jHoEEVRBH8d7lTSo-1hoMBHZSulcbEOkAlhaOjLT5Hh4IfvszQyHE8JS_IUWzOJ3naRhhvSW6MQfD6jZqsmDH__X0HEj4\
        MTb7MFDCQ0Bg1Qx4XTYqmU-3UDblID40sDMVUEU5sDKiU4QfltghB6ZTgy1A5oaYvVtY76iezY0LGfhvw","e":"AQAB","kid":\
        "rsa-1","use":"sig","alg":"RS256"}
        """

    /// A token signed with it as Apple does: no `typ`, one `aud`, until 1700000600.5.
    static let rsaToken = """
        eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYS0xIn0.eyJpc3MiOiJodHRwczovL2FwcGxlaWQuYXBwbGUuY29tIiwic3ViIjoiMDAx\
        LmFiYyIsImF1ZCI6ImNvbS5leGFtcGxlLmFwcCIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjoxNzAwMDAwNjAwLjV9.kEQIlHylKE_\
        ZsW6M2jN_NyaIIw8K_lPKZmjmAAp3p4o4QdLcfmDBvqPU9JJkPCpuxMSAgD3TiU7hUSgAE22pQ7cvOFukLl9lbb0Pc3Kx2GDfXVy\
        nNWazc6SQE2-hM258uXquAQWmv2f3MEe_NfXm7my2nGtqoheTglqNHnBvz3plrAKtFe1uUK29i6lSQD_1-kNrvm_--pHCdhwdyUX\
        6qjAVeCKtSpLdWG-qS2-YpoS0csOkRhU5gXdh2qHk7T1khz7j6OiJrpwgewtpa1jekR_qWGw42lxPtTjTfGfkUiDvnq0jS_5l4v9\
        p-n_jYe-CjepU97NdoljNXNPZoYpAlw
        """

    /// A key of an unsupported curve.
    static let p384PEM = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDB815oPkHxQiEqBMI7z
        dex0xVlwe24i87PTtmJ6u4+uKA2youFwKSAxBQRVCK2TvhChZANiAATVCZFfl0Jw
        aSsthJ0JHOBcNes02Fgn7LAm1T8ylYIFFFo5dygnG0fskwG2X51HKURxkuay6Mqq
        3qRthCme5KkZD2KH7P3zAmYwZlwmXW/WOF2kFwTxprdw2ULPPaYVXqU=
        -----END PRIVATE KEY-----
        """

    /// The P-256 key, encrypted.
    static let encryptedPEM = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIH0MF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBC4SYE7EIXTlHi3n/a0
        jKhZAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQXBWkIwL9KD0Pc8cZ
        QiULOgSBkGBMW/0vXwh5fqglCDIQ+p6lw4OWirmMaPhdJdn23tQb8YItVpMDYIgc
        XBKdYhQ+ELl+uGehLQqwITukbk5ZtwBOsK1oynkJwoJFIJMOHZ0YG+IYF1QHz8tT
        Peh03FUS80xA6T8dedCfEddkNewcmMcCkyrEPVdL0sOU1neSD/cYuox9iCuR8b9/
        gi+eWFxb+w==
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// An RSA key of 1,024 bits.
    static let weakPEM = """
        -----BEGIN PRIVATE KEY-----
        MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAMC+w5UDefItkctZ
        h01XCkJ5jwcmo3ivnHC2h7XGMEtik3m/qZWeZUonugX5cjOQ206DNRxhftdhiQcv
        hD50pQnA9glW3xiZk9Hi6fNFH4nitGjpOJd2N/vwU+ihNneWehC/Vn2/ZZT2pYhl
        xLBKgnZ5a6ox62xEFo2xyUWT53o1AgMBAAECgYB1ec+rGxtQSAX8cuzMbqiKK5zJ
        Nvubqy0mZZoBaHI3ADXylqa90nTZ5ayzx32bgEaqa74LNkEg9QmXn5ZympWbdUrN
        38OB0RdkouxB68R0srwefsDeBVE0CojCeDQRhn8O8IBpTViwBgmEGF2KzQzDHG19
        LXD+1ALnY55YLOygYQJBAOceqQj/oeqBRztQfw/OfY0JqPKE7pyxZDFxfKKGwhQT
        dxukdBnpCttxVBsdz2gbJ6xxxIX3mdHhAqjiYecbSzMCQQDVfo2cqzUhCrYrade6
        BLOWn4NxzzaTmJSYF5wiBaEjVtMrUEA2xygiUiIhHHnCnirnHvTUUKXb3oNafWYk
        BmT3AkB7yDQIGcGCc1LPNcGXmaQskWvm18NkMK3UvU9fTIVNc09rgpyb8/BYr024
        aDLZMxIAjb4Pchj0C2r9QKHmwPt5AkANc2C2qy64uzUI/S0jQiKSbdBZPkXg/K73
        +hzTI+moEVNSmkbBbMDBkM0nquSc91wanZ+tNLuOY7GA5P+na2O3AkEA2/GG40gF
        9GWrMlkziZok3eEAzh5OjKUudDfdSkE6FIAzAtR43IOwQo/JYGltgXlZnjRDYfw1
        HwewHyqU/mbJjw==
        -----END PRIVATE KEY-----
        """
}
