// Private by default: nothing comes in but what an edge needs, and port 8000 is in no rule.
import { edge as Edge } from '../types.bicep'

@description('What the names begin with.')
param prefix string

@description('The region of the machines; it is in every name.')
param location string

@description('The names of the machines: each has an address of its own to go out by.')
param machines string[]

@description('How the model is reached.')
param edge Edge

@description('The tags of every resource.')
param tags { *: string }

@description('What is always there: SSH is closed in every deployment, and the Internet stays out.')
var always = [
  {
    name: 'allow-ssh-admin'
    properties: {
      description: 'Opened for minutes by `control admin open`; a deployment closes it.'
      priority: 100
      direction: 'Inbound'
      access: 'Deny'
      protocol: 'Tcp'
      sourceAddressPrefix: 'Internet'
      sourcePortRange: '*'
      destinationAddressPrefix: '*'
      destinationPortRange: '22'
    }
  }
  {
    name: 'deny-internet-all'
    properties: {
      description: 'Stronger than relying on the default rules.'
      priority: 4000
      direction: 'Inbound'
      access: 'Deny'
      protocol: '*'
      sourceAddressPrefix: 'Internet'
      sourcePortRange: '*'
      destinationAddressPrefix: '*'
      destinationPortRange: '*'
    }
  }
]

@description('What edge A lets in.')
var open = [
  {
    name: 'allow-https'
    properties: {
      description: 'The edge, which asks for a key.'
      priority: 200
      direction: 'Inbound'
      access: 'Allow'
      protocol: 'Tcp'
      sourceAddressPrefix: 'Internet'
      sourcePortRange: '*'
      destinationAddressPrefix: '*'
      destinationPortRange: '443'
    }
  }
  {
    name: 'allow-acme-http'
    properties: {
      description: 'The certificate authority looks here before it signs.'
      priority: 210
      direction: 'Inbound'
      access: 'Allow'
      protocol: 'Tcp'
      sourceAddressPrefix: 'Internet'
      sourcePortRange: '*'
      destinationAddressPrefix: '*'
      destinationPortRange: '80'
    }
  }
]

resource guard 'Microsoft.Network/networkSecurityGroups@2026-03-01' = {
  name: 'nsg-${prefix}-${location}'
  location: location
  tags: tags
  properties: {
    securityRules: edge == 'A' ? concat(always, open) : always
  }

  resource ssh 'securityRules' existing = {
    name: 'allow-ssh-admin'
  }
}

resource network 'Microsoft.Network/virtualNetworks@2026-03-01' = {
  name: 'vnet-${prefix}-${location}'
  location: location
  tags: tags
  properties: {
    addressSpace: {
      addressPrefixes: [
        '10.40.0.0/24'
      ]
    }
    subnets: [
      {
        name: 'machines'
        properties: {
          addressPrefix: '10.40.0.0/26'
          defaultOutboundAccess: false
          networkSecurityGroup: {
            id: guard.id
          }
          serviceEndpoints: [
            {
              service: 'Microsoft.Storage'
            }
            {
              service: 'Microsoft.KeyVault'
            }
          ]
        }
      }
    ]
  }
}

resource addresses 'Microsoft.Network/publicIPAddresses@2026-03-01' = [
  for machine in machines: {
    name: 'pip-${machine}'
    location: location
    tags: tags
    sku: {
      name: 'Standard'
    }
    properties: {
      publicIPAllocationMethod: 'Static'
      publicIPAddressVersion: 'IPv4'
    }
  }
]

@description('The rule that lets a person in by SSH for some minutes.')
output sshRuleId string = guard::ssh.id

@description('The addresses that the machines go out by, in the order of their names.')
output addressIds string[] = [for (machine, at) in machines: addresses[at].id]
